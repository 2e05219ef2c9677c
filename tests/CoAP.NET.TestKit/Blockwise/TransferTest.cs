using System.Threading.Channels;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>
/// A client on virtual time, and a server that is a function of the test. Each request that arrives is answered in the acknowledgement,
/// duplicates as before.
/// </summary>
public abstract class TransferTest : RequestingTest
{
    private protected const string Uri = "coap://192.0.2.1/large";

    private readonly Channel<(CoapAddress Remote, byte[] Bytes)> _sent = Channel.CreateUnbounded<(CoapAddress, byte[])>();
    private readonly Dictionary<ushort, byte[]> _answers = [];
    private readonly CoapDatagramSerializer _serializer = new();
    private readonly Task _pump;
    private int _datagrams;

    private protected TransferTest()
    {
        // At a loss time passes in one step of seconds.
        Options.Parameters = Options.Parameters with { RetransmissionTiming = CoapRetransmissionAlgorithm.Rfc7252 };
        Transport.OnSent = (remote, bytes) => _sent.Writer.TryWrite((remote, bytes));
        _pump = PumpAsync();
    }

    /// <summary>Answers a request; null for silence.</summary>
    private protected Func<CoapMessage, CoapMessage?> Answer { get; set; } = static _ => null;

    /// <summary>Called with the number of each datagram, of both directions together, from 0; what it says true to is lost.</summary>
    private protected Func<int, bool> Loses { get; set; } = static _ => false;

    /// <summary>Sees each datagram before the server; true: it is dealt with.</summary>
    private protected Func<CoapAddress, byte[], bool> Intercepts { get; set; } = static (_, _) => false;

    /// <summary>The requests that arrived, without duplicates.</summary>
    private protected List<CoapMessage> Requests { get; } = [];

    private protected int Datagrams => _datagrams;

    /// <summary>Block1 or Block2 of each request, as number/more/size; a dash for none.</summary>
    private protected string[] Block1s => [.. Requests.Select(request => request.Options.Block1?.ToString() ?? "-")];

    private protected string[] Block2s => [.. Requests.Select(request => request.Options.Block2?.ToString() ?? "-")];

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _sent.Writer.TryComplete();
    }

    private protected async Task<T> Within<T>(Task<T> task)
    {
        await Within((Task)task);
        return await task;
    }

    private protected async Task Within(Task task)
    {
        // A server that broke is the reason why nothing comes.
        await (await Task.WhenAny(task, _pump).WaitAsync(HangGuard.InMemory));
        await task.WaitAsync(HangGuard.InMemory);
    }

    private protected static byte[] Bytes(int length, int seed = 1)
    {
        byte[] bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    /// <summary>A response from its parts, such as <c>Reply(CoapCode.Content, block2: "0/1/64", payload: ...)</c>.</summary>
    private protected static CoapMessage Reply(CoapCode code, string? block1 = null, string? block2 = null,
        ReadOnlyMemory<byte> payload = default, string? etag = null, uint? size2 = null)
    {
        CoapMessage message = new(code) { Payload = payload };
        message.Options.Block1 = Block(block1);
        message.Options.Block2 = Block(block2);
        message.Options.Size2 = size2;
        if (etag is not null)
        {
            message.Options.ETag = new CoapETag(Wire.Hex(etag));
        }

        return message;
    }

    private protected static BlockValue? Block(string? text) => text?.Split('/') is [string number, string more, string size]
        ? size == "7"
            ? new BlockValue(int.Parse(number), more == "1", 7)
            : BlockValue.FromSize(int.Parse(number), more == "1", int.Parse(size))
        : null;

    /// <summary>Answers the requests one after the other; further ones are not answered.</summary>
    private protected void Script(params CoapMessage[] replies)
    {
        int next = 0;
        Answer = _ => next < replies.Length ? replies[next++] : null;
    }

    /// <summary>Lets go of what was answered so far: copies of it are answered anew.</summary>
    private protected void Forget()
    {
        _answers.Clear();
        Transport.TakeSent();
    }

    /// <summary>Nothing of ours is left: no request waits, no message is outstanding, nobody holds the channel of a peer.</summary>
    private protected void AssertAllIsFree()
    {
        CoAP.NET.Composition.Stages.CoapShardPipeline pipeline = Client.Endpoint.Pipelines[0];
        lock (pipeline.Shard.Gate)
        {
            Assert.Equal(0, pipeline.Messages.Outstanding);
            Assert.Equal(0, pipeline.Messages.Waiting);
            foreach (CoAP.NET.CoapChannel channel in pipeline.Channels.All())
            {
                Assert.Equal(0, CoAP.NET.Exchanges.ExchangeLayer.PendingOf(channel));
                Assert.Equal(0, channel.Pins);
            }
        }

        Assert.Equal(0, Client.Endpoint.Counters[CoapCounter.StageErrors]);
    }

    private async Task PumpAsync()
    {
        await foreach ((CoapAddress remote, byte[] bytes) in _sent.Reader.ReadAllAsync().ConfigureAwait(false))
        {
            if (Intercepts(remote, bytes) || IsLost())
            {
                continue;
            }

            byte[]? answer = AnswerOf(bytes);
            if (answer is not null && !IsLost())
            {
                Transport.Receive(remote, answer);
            }
        }
    }

    private byte[]? AnswerOf(byte[] bytes)
    {
        CoapMessage request = _serializer.Deserialize(bytes);
        if (!request.Code.IsRequest)
        {
            return null;
        }

        if (_answers.TryGetValue(request.MessageId, out byte[]? before))
        {
            return before;
        }

        lock (Requests)
        {
            Requests.Add(request);
        }

        if (Answer(request) is not { } reply)
        {
            return null;
        }

        CoapMessage response = new(reply.Code)
        {
            Type = request.Type == CoapMessageType.Confirmable ? CoapMessageType.Acknowledgement : CoapMessageType.NonConfirmable,
            MessageId = request.MessageId,
            Token = request.Token,
            Payload = reply.Payload,
        };
        response.Options.AddRange(reply.Options);
        byte[] answer = _serializer.Serialize(response);
        _answers[request.MessageId] = answer;
        return answer;
    }

    private bool IsLost()
    {
        if (!Loses(_datagrams++))
        {
            return false;
        }

        // Whoever waits for it sends again in 2 to 3 s.
        Clock.Advance(FromSeconds(3.1));
        return true;
    }
}
