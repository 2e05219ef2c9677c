namespace CoAP.NET.Cli.Serving;

/// <summary>An answer, and what the log tells of it.</summary>
/// <param name="Result">The answer.</param>
/// <param name="Size">The bytes of the representation that was sent or stored; null where there is none.</param>
internal readonly record struct ServeAnswer(CoapResult Result, long? Size = null);
