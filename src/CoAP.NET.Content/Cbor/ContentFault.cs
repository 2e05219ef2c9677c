namespace CoAP.NET.Content.Cbor;

/// <summary>An error in a document and its position.</summary>
/// <param name="Offset">The position in bytes.</param>
/// <param name="Message">The error, without an initial capital letter and a full stop.</param>
internal readonly record struct ContentFault(int Offset, string Message);
