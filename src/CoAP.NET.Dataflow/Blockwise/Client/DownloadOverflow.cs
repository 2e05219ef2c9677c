namespace CoAP.NET.Blockwise;

/// <summary>Puts a body together in memory, and hands it on as a stream as soon as it is too large for that.</summary>
/// <param name="overflow">Where it goes then.</param>
internal sealed class DownloadOverflow(BodyOverflow overflow) : DownloadSink
{
    private DownloadMemory? _memory = new(overflow.MaxHeld);

    // Whoever reads it already must not get its beginning once more.
    private readonly bool _isLate = overflow.HasBegun;

    public override async ValueTask<bool> WriteAsync(ReadOnlyMemory<byte> block, long? total, CancellationToken cancellationToken)
    {
        if (_isLate)
        {
            throw new CoapException("The transfer broke off while its body was read, and cannot begin again. Send the request anew.");
        }

        if (_memory is { } memory)
        {
            // A size that is announced saves the waiting for what does not fit.
            if (total is not { } announced || announced <= overflow.MaxHeld)
            {
                if (await memory.WriteAsync(block, total, cancellationToken).ConfigureAwait(false))
                {
                    return true;
                }
            }

            _memory = null;
            overflow.Begin();
            await overflow.WriteAsync(memory.ToPayload(), cancellationToken).ConfigureAwait(false);
        }

        await overflow.WriteAsync(block, cancellationToken).ConfigureAwait(false);
        return true;
    }

    public override bool TryRestart() => _memory?.TryRestart() == true;

    public override ReadOnlyMemory<byte> ToPayload() => _memory?.ToPayload() ?? default;
}
