namespace CoAP.NET.Blockwise;

/// <summary>Where the body of a response goes from the moment when it is more than memory shall hold.</summary>
/// <param name="maxHeld">The largest body that is held, in bytes.</param>
internal sealed class BodyOverflow(int maxHeld)
{
    private volatile bool _hasBegun;

    /// <summary>The largest body that is held, in bytes.</summary>
    public int MaxHeld => maxHeld;

    /// <summary>The stream of the body; null while it is in memory.</summary>
    public CoapResponseStream? Body { get; private set; }

    /// <summary>Whether the body is read from a stream; it never comes back.</summary>
    public bool HasBegun => _hasBegun;

    /// <summary>Switches to a stream that has the body from its beginning, and completes the response for the caller.</summary>
    /// <param name="head">The response without its body.</param>
    /// <param name="fetch">Writes the body, starting with the part in memory, until it is stopped.</param>
    public void Begin(CoapResponse head, Func<Stream, CancellationToken, Task> fetch)
    {
        _hasBegun = true;
        Body = CoapResponseStream.Begin(head, fetch);
    }
}
