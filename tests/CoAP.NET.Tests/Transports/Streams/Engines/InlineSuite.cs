using CoAP.NET.Tests.Transports.Tcp;
using CoAP.NET.Tests.Transports.Tcp.Linux;

namespace CoAP.NET.Tests.Transports.Streams.Engines;

/// <summary>By the receive loops.</summary>
public sealed class InlineSuite : MemoryExhaustionSuite
{
    protected override CoapSocketEngine Engine => CoapSocketEngine.LinuxLoop;

    [Fact]
    public async Task Answers_to_requests_of_one_write_are_sent_in_few_segments()
    {
        await StartAsync();
        await using AsyncPeer peer = await ConnectAsync();
        await peer.SendAsync(string.Concat(Enumerable.Repeat(GetX, 500)));
        byte[] bytes = new byte[500 * AnswerX.Length];
        int count = 0;
        int reads = 0;
        while (count < 500 * AnswerX.Length / 2)
        {
            int read = await Within(peer.Socket.ReceiveAsync(bytes));
            Assert.True(read > 0);
            count += read;
            reads++;
        }

        // 3,500 bytes that leave one by one would come in hundreds of pieces.
        Assert.InRange(reads, 1, 20);
    }
}

/// <summary>By the receive loops, alone in the process.</summary>
[Collection(AloneInTheProcess.Name)]
public sealed class InlineLeakSuite : LeakSuite
{
    protected override CoapSocketEngine Engine => CoapSocketEngine.LinuxLoop;
}
