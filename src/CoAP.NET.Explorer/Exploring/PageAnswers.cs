namespace CoAP.NET.Explorer.Exploring;

/// <summary>A request in other languages.</summary>
internal sealed record CodeSnippetsAnswer(string Csharp, string Coap, string CoapClient);

/// <summary>The bytes of a payload.</summary>
internal sealed record ConvertAnswer(string Hex, int Length, string? Notation);
