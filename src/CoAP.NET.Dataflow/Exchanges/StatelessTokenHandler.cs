namespace CoAP.NET.Exchanges;

/// <summary>A client that keeps the state of its requests in their tokens (RFC 8974 section 3).</summary>
internal abstract class StatelessTokenHandler
{
    /// <summary>The name that distinguishes clients of an endpoint for which other processes create tokens too.</summary>
    public abstract string Name { get; }

    /// <summary>The overhead of a token besides the state, in bytes.</summary>
    public abstract int TokenOverhead { get; }

    public abstract CoapToken Seal(ReadOnlySpan<byte> state, CoapChannel peer);

    /// <summary>Accepts a token once. It must be created here, or by another process with the secret, for this peer and recently.</summary>
    /// <param name="token">The token of a response.</param>
    /// <param name="peer">The sender.</param>
    /// <param name="isOwn">Whether it must be created here.</param>
    /// <param name="state">The state.</param>
    /// <param name="age">The age of the token.</param>
    public abstract bool TryOpen(in CoapToken token, CoapChannel peer, bool isOwn, out byte[] state, out TimeSpan age);

    /// <summary>Passes a response to the application. The caller must hold no lock.</summary>
    public abstract void Give(CoapResponse response, byte[] state, TimeSpan age);
}
