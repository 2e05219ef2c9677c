using CoAP.NET.Tests.Transports.Streams;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Connections;

// What may happen at each step.
public sealed partial class MeshCampaignTests
{
    private void Step(Dice random, CoapServer[] both, WiredTransport[] wires)
    {
        CoapServer server = both[random.Next(2)];
        WiredTransport.WiredConnection[] open = [
            .. wires[random.Next(2)].Connections.Where(static connection => connection is { IsClosed: false, Channel: not null })];
        WiredTransport.WiredConnection? connection = open.Length == 0 ? null : open[random.Next(open.Length)];
        switch (random.Next(24))
        {
            case < 9:
                Ask(random, server,
                    random.Next(3) == 0 && server.Endpoint.ConnectedPeers is { Count: > 0 } peers ? peers[random.Next(peers.Count)] : null);
                break;
            case 9 or 10:
                Observe(random, server);
                break;
            case 11:
                Interlocked.Increment(ref _lastId);
                _observed[random.Next(_observed.Count)].Notify();
                break;
            case 12 when connection is not null && random.Next(2) == 0:
                connection.Break(random.Next(2) == 0 ? new IOException("reset") : null);
                break;
            case 13 when connection is not null && random.Next(2) == 0:
                connection.Close(null);
                break;
            case 14 when connection is not null && random.Next(3) == 0:
                Track(CoapPeer.Of(connection.Channel!).ReleaseAsync(random.Next(3) == 0 ? TimeSpan.FromSeconds(3) : null));
                break;
            case 15 when connection is not null:
                Track(CoapPeer.Of(connection.Channel!).PingAsync(Patience(random)));
                break;
            case 16 or 17 when connection is not null:
                connection.Arrive(Wire.Hex(s_frames[random.Next(s_frames.Length)]));
                break;
            case 18 when connection is not null:
                connection.IsFull = !connection.IsFull;
                break;
            case 19 when connection is not null:
                connection.BecomeWritable();
                break;
            case 20 when _patience.Count > 0:
                _patience[random.Next(_patience.Count)].Cancel();
                break;
            case 21:
                Track(server.Endpoint.PingAsync(Uri, Patience(random)));
                break;
            case 22 when _slow.TryDequeue(out TaskCompletionSource? slow):
                slow.SetResult();
                break;
            default:
                _clock.Advance(TimeSpan.FromMilliseconds(random.Next(1, 4000)));
                break;
        }
    }

    private void Ask(Dice random, CoapServer server, CoapPeer? peer)
    {
        string id = $"{Interlocked.Increment(ref _lastId)}";
        int size = random.Next(3) == 0 ? random.Next(40_000) : random.Next(2000);
        (CoapMethod method, string path, CoapContent? content, string? expected) = random.Next(6) switch
        {
            0 => (CoapMethod.Get, $"/slow/{id}", null, id),
            1 => (CoapMethod.Get, $"/large/{size}", null, null),
            2 => (CoapMethod.Post, $"/once/{id}", Content(random, size), id),
            3 => (CoapMethod.Put, $"/body/{size}", Content(random, size), string.Empty),
            4 => (CoapMethod.Put, $"/stream/{size}", Content(random, size), string.Empty),
            _ => (CoapMethod.Get, $"/echo/{id}", (CoapContent?)null, id),
        };
        CoapRequest request = new(method, peer is null ? Uri + path : path)
        {
            Content = content,
            Timeout = random.Next(2) == 0 ? TimeSpan.FromSeconds(random.Next(1, 40)) : null,
        };
        CancellationToken cancellationToken = Patience(random);
        Track(CompareAsync(peer is null
            ? server.Endpoint.SendAsync(request, cancellationToken)
            : peer.SendAsync(request, cancellationToken), expected, path, size));
    }

    private async Task CompareAsync(Task<CoapResponse> asked, string? expected, string path, int size)
    {
        CoapResponse response = await asked;
        if (!response.IsSuccess)
        {
            // It takes too little, stops, or was aborted in the middle of a body; but never got other bytes.
            Assert.NotEqual("These are other bytes.", response.GetText());
            Assert.NotEqual(CoapCode.NotFound, response.Code);
            return;
        }

        if (expected is null)
        {
            Assert.True(response.Payload.Span.SequenceEqual(Frames.Bytes(size, 1)), $"{path} gave {response.Payload.Length} other bytes.");
        }
        else
        {
            Assert.Equal(expected, response.GetText());
        }

        Interlocked.Increment(ref _answered);
    }

    private static CoapContent Content(Dice random, int size)
    {
        byte[] body = Frames.Bytes(size, 2);
        return random.Next(2) == 0
            ? CoapContent.Binary(body)
            : CoapContent.Stream(random.Next(2) == 0 ? new MemoryStream(body) : new Unseekable(body));
    }

    private void Observe(Dice random, CoapServer server)
    {
        if (random.Next(2) == 0)
        {
            CoapObservation? some;
            lock (_gate)
            {
                some = _observations.Count == 0 ? null : _observations[random.Next(_observations.Count)];
            }

            if (some is not null)
            {
                Track(some.DisposeAsync().AsTask());
            }

            return;
        }

        string path = random.Next(2) == 0 ? "/state" : "/states";
        CoapRequest request = new(CoapMethod.Get, path);
        Track(KeepAsync(random.Next(2) == 0 && server.Endpoint.ConnectedPeers is { Count: > 0 } peers
            ? peers[random.Next(peers.Count)].ObserveAsync(request, null, Patience(random))
            : server.Endpoint.ObserveAsync(Uri + path, Patience(random))));
    }

    private async Task KeepAsync(Task<CoapObservation> begun)
    {
        CoapObservation observation = await begun;
        lock (_gate)
        {
            _observations.Add(observation);
        }
    }

    private CancellationToken Patience(Dice random)
    {
        if (random.Next(3) > 0)
        {
            return CancellationToken.None;
        }

        CancellationTokenSource patience = new();
        _patience.Add(patience);
        return patience.Token;
    }

    private void Track(Task asked)
    {
        Interlocked.Increment(ref _begun);
        lock (_gate)
        {
            _asked.Add(AwaitAsync(asked));
        }
    }

    private async Task AwaitAsync(Task asked)
    {
        try
        {
            await asked;
        }
        catch (Exception exception) when (exception is CoapException or OperationCanceledException)
        {
            // These are ends too.
        }
        catch (InvalidOperationException exception)
            when (exception.Message.StartsWith("The stream was already sent", StringComparison.Ordinal))
        {
            // So is that.
        }

        Interlocked.Increment(ref _ended);
    }

    private sealed class Unseekable(byte[] bytes) : MemoryStream(bytes)
    {
        public override bool CanSeek => false;
    }
}
