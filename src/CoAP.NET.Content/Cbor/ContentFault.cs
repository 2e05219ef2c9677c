namespace CoAP.NET.Content.Cbor;

/// <summary>What is wrong with a document, and where.</summary>
/// <param name="Offset">Where, in bytes.</param>
/// <param name="Message">What is wrong there; begins with a small letter and has no full stop.</param>
internal readonly record struct ContentFault(int Offset, string Message);
