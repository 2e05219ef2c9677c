namespace CoAP.NET;

/// <summary>What a route says of the bodies of its requests.</summary>
/// <param name="Mode">How it takes bodies that come in several blocks.</param>
/// <param name="MaxSize">The largest body in bytes.</param>
internal sealed record BodyPolicy(BodyMode Mode, long MaxSize);
