using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>A server, and requests with Block options that are written by hand, one datagram at a time.</summary>
public abstract class BlockwiseTest : EndpointTest
{
    private protected static readonly CoapDatagramSerializer s_serializer = new();

    private ushort _messageId = 0x1000;

    private protected CoAP.NET.Blockwise.Server.RequestBodyStore Bodies => Server.Endpoint.Pipelines[0].Blockwise.Requests;

    private protected CoAP.NET.Blockwise.Server.ServedBlockwiseResponses Responses => Server.Endpoint.Pipelines[0].Blockwise.Responses;

    private protected CoAP.NET.Blockwise.Server.BlockwiseBudgets Memory => Server.Endpoint.Bodies;

    /// <summary>Starts the server. Without a context the continuations of handlers run on the thread that hands datagrams in.</summary>
    private protected new Task StartAsync()
    {
        Task start = base.StartAsync();
        SynchronizationContext.SetSynchronizationContext(null);
        return start;
    }

    /// <summary>Bytes that differ from place to place, so that blocks in the wrong place are noticed.</summary>
    private protected static byte[] Body(int size, int seed = 0)
    {
        byte[] body = new byte[size];
        new Random(seed + size).NextBytes(body);
        return body;
    }

    private protected static CoapMessage Message(CoapMethod method, string path, Action<CoapOptionCollection>? options = null,
        byte[]? payload = null)
    {
        CoapMessage message = new((CoapCode)method) { Payload = payload ?? [], Token = new CoapToken([0x7b]) };
        foreach (string segment in path.Split('/', StringSplitOptions.RemoveEmptyEntries))
        {
            message.Options.Add(new UriPathOption(segment));
        }

        options?.Invoke(message.Options);
        return message;
    }

    /// <summary>Hands a request in with a Message ID of its own and gives what was answered at once; null for nothing.</summary>
    private protected CoapMessage? TrySend(CoapMessage message, CoapAddress? peer = null, CoapAddress? local = null)
    {
        message.MessageId = _messageId++;
        Transport.TakeSent();
        Transport.Receive(peer ?? Peer, s_serializer.Serialize(message), local);
        string[] sent = Transport.TakeSent();
        return sent.Length == 0 ? null : s_serializer.Deserialize(Wire.Hex(Assert.Single(sent)));
    }

    /// <summary>Hands a request in that another thread answers, as it reads a file.</summary>
    private protected async Task<CoapMessage> SendLateAsync(CoapMessage message, CoapAddress? peer = null)
    {
        TaskCompletionSource<byte[]> sent = new(RunContinuationsAsynchronously);
        Transport.OnSent = (_, bytes) => sent.TrySetResult(bytes);
        TrySend(message, peer);
        return s_serializer.Deserialize(await Within(sent.Task));
    }

    private protected CoapMessage Send(CoapMessage message, CoapAddress? peer = null)
    {
        CoapMessage? answer = TrySend(message, peer);
        Assert.NotNull(answer);
        Assert.Equal(message.Token, answer.Token);
        return answer;
    }

    private protected CoapMessage Get(string path, BlockValue? block2 = null, Action<CoapOptionCollection>? options = null,
        CoapAddress? peer = null) => Send(
            Message(CoapMethod.Get, path, all =>
            {
                all.Block2 = block2;
                options?.Invoke(all);
            }),
            peer);

    /// <summary>Sends the block of a body that begins at an offset.</summary>
    private protected CoapMessage Block(CoapMethod method, string path, byte[] body, int offset, int size,
        Action<CoapOptionCollection>? options = null, CoapAddress? peer = null)
    {
        int end = Math.Min(body.Length, offset + size);
        return Send(
            Message(
                method,
                path,
                all =>
                {
                    all.Block1 = BlockValue.FromSize(offset / size, end < body.Length, size);
                    options?.Invoke(all);
                },
                body[offset..end]),
            peer);
    }

    /// <summary>Sends a whole body in order; every block but the last must be continued.</summary>
    private protected CoapMessage Upload(CoapMethod method, string path, byte[] body, int size,
        Action<CoapOptionCollection>? options = null, CoapAddress? peer = null)
    {
        for (int offset = 0; ; offset += size)
        {
            CoapMessage answer = Block(method, path, body, offset, size, options, peer);
            if (offset + size >= body.Length)
            {
                return answer;
            }

            Assert.Equal(CoapCode.Continue, answer.Code);
        }
    }

    /// <summary>Fetches a whole body block by block; checks the options of every block.</summary>
    private protected byte[] Download(string path, int? size = null, CoapAddress? peer = null, Action<CoapOptionCollection>? options = null)
    {
        MemoryStream body = new();
        CoapMessage answer = Get(path, size is { } first ? BlockValue.FromSize(0, false, first) : null, options, peer);
        string? etag = null;
        while (true)
        {
            Assert.Equal(CoapCode.Content, answer.Code);
            body.Write(answer.Payload.Span);
            if (answer.Options.Block2 is not { } block)
            {
                return body.ToArray();
            }

            string tag = Convert.ToHexString(answer.Options.ETag.GetValueOrDefault().ToArray());
            Assert.Equal(etag ??= tag, tag);
            Assert.Equal(body.Length, block.ByteOffset + answer.Payload.Length);
            if (!block.More)
            {
                return body.ToArray();
            }

            Assert.Equal(block.Size, answer.Payload.Length);
            answer = Get(path, new BlockValue(block.Number + 1, false, block.SizeExponent), options, peer);
        }
    }

    /// <summary>Nothing of any body is kept or counted any more, once its time is over.</summary>
    private protected void AssertAllFreed()
    {
        Clock.Advance(FromMinutes(10));

        // Who ran a handler on a thread of its own sends the answer before it counts the request out.
        Assert.True(SpinWait.SpinUntil(() => Server.Endpoint.Served.Count == 0, FromMinutes(2)));
        Clock.Advance(FromMinutes(10));
        Assert.Equal((0, 0, 0), (Bodies.Count, Responses.Count, Responses.SharedCount));
        Assert.Equal((0L, 0L, 0L, 0L),
            (Memory.Requests.Used, Memory.Requests.UsedByNewcomers, Memory.Responses.Used, Memory.Responses.UsedByNewcomers));
        Assert.Equal((0L, 0L), (Memory.Requests.Unverified.Bytes, Memory.Responses.Unverified.Bytes));
        Assert.Equal(0, Server.Counters[CoapCounter.StageErrors]);
    }
}
