namespace CoAP.NET.Content.Cbor;

/// <summary>A document would become larger than it may be.</summary>
internal sealed class CborTooLargeException : Exception;
