namespace CoAP.NET.Blockwise;

/// <summary>Writes a body to a stream of the user as its blocks come.</summary>
/// <param name="destination">The stream.</param>
internal sealed class DownloadStream(Stream destination) : DownloadSink
{
    private readonly long _start = destination.CanSeek ? destination.Position : 0;
    private bool _isEmpty = true;

    public override async ValueTask<bool> WriteAsync(ReadOnlyMemory<byte> block, long? total, CancellationToken cancellationToken)
    {
        if (!block.IsEmpty)
        {
            _isEmpty = false;
            await destination.WriteAsync(block, cancellationToken).ConfigureAwait(false);
        }

        return true;
    }

    public override bool TryRestart()
    {
        if (!_isEmpty)
        {
            if (!destination.CanSeek)
            {
                return false;
            }

            destination.SetLength(_start);
            destination.Position = _start;
        }

        return true;
    }

    public override ReadOnlyMemory<byte> ToPayload() => default;
}
