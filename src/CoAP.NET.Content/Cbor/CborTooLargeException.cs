namespace CoAP.NET.Content.Cbor;

/// <summary>Thrown when a document would exceed its maximum size.</summary>
internal sealed class CborTooLargeException : Exception;
