namespace CoAP.NET.Blockwise;

/// <summary>Where the body of a response goes from the moment when it is more than memory shall hold.</summary>
/// <param name="maxHeld">The largest body that is held, in bytes.</param>
internal sealed class BodyOverflow(int maxHeld)
{
    private volatile bool _hasBegun;

    /// <summary>The largest body that is held, in bytes.</summary>
    public int MaxHeld => maxHeld;

    /// <summary>What the body is read from; null as long as it is held.</summary>
    public CoapResponseStream? Body { get; private set; }

    /// <summary>Whether the body is read from a stream; it never comes back.</summary>
    public bool HasBegun => _hasBegun;

    /// <summary>The body is read from a stream from its beginning on, and the response is there for who waits for it.</summary>
    /// <param name="head">The response without its body.</param>
    /// <param name="fetch">Writes the body, what is held of it first, until it is told to stop.</param>
    public void Begin(CoapResponse head, Func<Stream, CancellationToken, Task> fetch)
    {
        _hasBegun = true;
        Body = CoapResponseStream.Begin(head, fetch);
    }
}
