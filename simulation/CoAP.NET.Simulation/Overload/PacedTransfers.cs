namespace CoAP.NET.Simulation.Overload;

/// <summary>An upload and a download at a time, block after block with a pause, over and over.</summary>
internal sealed class PacedTransfers : IAsyncDisposable
{
    private const int Block = 64;
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(25);

    private readonly CoapClient _client = new();
    private readonly string _uri;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _uploading;
    private readonly Task _downloading;
    private readonly Lock _gate = new();
    private readonly List<Transfer> _ended = [];

    public PacedTransfers(IPEndPoint server)
    {
        _uri = $"coap://{server}/body";
        _uploading = RepeatAsync("upload", UploadAsync);
        _downloading = RepeatAsync("download", DownloadAsync);
    }

    /// <summary>Those that ended.</summary>
    public IReadOnlyList<Transfer> Ended
    {
        get
        {
            lock (_gate)
            {
                return [.. _ended];
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _uploading;
        await _downloading;
        await _client.DisposeAsync();
        _stop.Dispose();
    }

    private async Task RepeatAsync(string kind, Func<Task<string?>> transfer)
    {
        while (!_stop.IsCancellationRequested)
        {
            long began = TimeProvider.System.GetTimestamp();
            string? error;
            try
            {
                error = await transfer();
            }
            catch (OperationCanceledException)
            {
                return;
            }
            catch (CoapException exception)
            {
                error = exception.Message;
            }

            lock (_gate)
            {
                _ended.Add(new Transfer(kind, began, TimeProvider.System.GetTimestamp(), error));
            }
        }
    }

    private async Task<string?> UploadAsync()
    {
        await using PacedStream body = new(OverloadServer.Body(), Block, s_pause);
        CoapRequest request = new(CoapMethod.Put, _uri) { Content = CoapContent.Stream(body), BlockSize = Block };
        CoapResponse response = await _client.SendAsync(request, _stop.Token);
        return response.IsSuccess ? null : $"{response}: {response.GetText()}";
    }

    private async Task<string?> DownloadAsync()
    {
        byte[] body = OverloadServer.Body();
        for (int i = 0; i * Block < body.Length; i++)
        {
            CoapResponse response = await _client.GetBlockAsync(_uri, i, Block, _stop.Token);
            if (response.Code == CoapCode.ServiceUnavailable && i == 0)
            {
                // Not yet begun, so it may be refused.
                await Task.Delay(s_pause, TimeProvider.System, _stop.Token);
                i--;
                continue;
            }

            if (!response.IsSuccess || !response.Payload.Span.SequenceEqual(body.AsSpan(i * Block, Block)))
            {
                return $"block {i}: {response}";
            }

            await Task.Delay(s_pause, TimeProvider.System, _stop.Token);
        }

        return null;
    }

    /// <summary>A transfer that ended.</summary>
    /// <param name="Kind">Which way.</param>
    /// <param name="Began">When, as a time stamp.</param>
    /// <param name="EndedAt">When, as a time stamp.</param>
    /// <param name="Error">Why it failed; null when it did not.</param>
    internal sealed record Transfer(string Kind, long Began, long EndedAt, string? Error);

    private sealed class PacedStream(byte[] bytes, int block, TimeSpan pause) : MemoryStream(bytes)
    {
        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await Task.Delay(pause, TimeProvider.System, cancellationToken);
            return await base.ReadAsync(buffer[..Math.Min(block, buffer.Length)], cancellationToken);
        }
    }
}
