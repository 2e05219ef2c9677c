namespace CoAP.NET.Proxy.Forwarding;

/// <summary>The start of the wanted part of a response that may come as a stream.</summary>
/// <param name="Offset">The first byte; 0 for all of it.</param>
internal readonly record struct ResponseBodyOffset(long Offset);
