namespace CoAP.NET.Blockwise;

/// <summary>Where the body of a response goes from the moment when it is more than memory shall hold.</summary>
/// <param name="maxHeld">The largest body that is held, in bytes.</param>
/// <param name="writer">Takes the body, and waits while its reader is behind.</param>
/// <param name="begun">Ends with the head of the response when the body goes there.</param>
internal sealed class BodyOverflow(int maxHeld, Stream writer, TaskCompletionSource<CoapResponse> begun)
{
    private volatile bool _hasBegun;

    /// <summary>The largest body that is held, in bytes.</summary>
    public int MaxHeld => maxHeld;

    /// <summary>The response without its body. Set with the first block, before <see cref="Begin"/>.</summary>
    public CoapResponse? Head { get; set; }

    /// <summary>Whether the body goes there; it never comes back.</summary>
    public bool HasBegun => _hasBegun;

    /// <summary>The body goes there from its beginning.</summary>
    public void Begin()
    {
        _hasBegun = true;
        begun.TrySetResult(Head!);
    }

    /// <summary>Writes what comes next.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken) =>
        writer.WriteAsync(bytes, cancellationToken);
}
