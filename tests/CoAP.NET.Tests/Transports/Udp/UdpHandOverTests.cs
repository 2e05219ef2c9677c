using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;

namespace CoAP.NET.Tests.Transports.Udp;

public class UdpHandOverTests : UdpTest
{
    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_handler_that_blocks_does_not_stop_the_others(CoapSocketEngine engine)
    {
        using ManualResetEventSlim release = new();
        UdpTestContext context = new(UdpTestContext.EchoAfter(text =>
        {
            if (text == "block")
            {
                release.Wait();
            }
        }));
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        peer.Send("block", At("127.0.0.1", transport));
        for (int i = 0; i < 100; i++)
        {
            peer.Send($"{i}", At("127.0.0.1", transport));
            Assert.Equal($"{i}", await peer.ReceiveTextAsync());
        }

        Assert.True(context.Counters[CoapCounter.HandOvers] >= 1);
        release.Set();
        Assert.Equal("block", await peer.ReceiveTextAsync());
        peer.Send("after", At("127.0.0.1", transport));
        Assert.Equal("after", await peer.ReceiveTextAsync());
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_blocking_handler_does_not_delay_the_rest_of_its_batch(CoapSocketEngine engine)
    {
        using ManualResetEventSlim gate = new();
        using ManualResetEventSlim release = new();
        Action<CoapDatagram> echo = UdpTestContext.EchoAfter(text =>
        {
            if (text == "block")
            {
                release.Wait();
            }
        });
        UdpTestContext context = new(datagram =>
        {
            if (datagram.Length == 4)
            {
                // Not user code: nobody may take the role, so that what follows is received as one batch.
                gate.Wait();
            }

            echo(datagram);
        });
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        foreach (string text in (string[])["gate", "a", "b", "block", "c", "d", "block", "e"])
        {
            peer.Send(text, At("127.0.0.1", transport));
        }

        gate.Set();
        Assert.Equal(["a", "b", "c", "d", "e", "gate"], await peer.ReceiveTextsAsync(6));
        release.Set();
        Assert.Equal(["block", "block"], await peer.ReceiveTextsAsync(2));
        Assert.True(context.Counters[CoapCounter.HandOvers] >= 2);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Slow_handlers_do_not_delay_earlier_answers(CoapSocketEngine engine)
    {
        using ManualResetEventSlim gate = new();
        using SemaphoreSlim steps = new(0);
        Action<CoapDatagram> echo = UdpTestContext.EchoAfter(text =>
        {
            if (text == "slow")
            {
                // Each is let go only after an answer arrived at the peer.
                steps.Wait();
            }
        });
        UdpTestContext context = new(datagram =>
        {
            if (datagram.Length == 5)
            {
                gate.Wait();
            }

            echo(datagram);
        });
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        peer.Send("first", At("127.0.0.1", transport));
        peer.Send("fast", At("127.0.0.1", transport));
        for (int i = 0; i < 10; i++)
        {
            peer.Send("slow", At("127.0.0.1", transport));
        }

        gate.Set();
        Assert.Equal(["fast", "first"], await peer.ReceiveTextsAsync(2));
        for (int i = 0; i < 10; i++)
        {
            steps.Release();
            Assert.Equal("slow", await peer.ReceiveTextAsync());
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_hundred_blocked_handlers_do_not_stop_the_loop_and_leak_no_thread(CoapSocketEngine engine)
    {
        const int Blocked = 100;
        using SemaphoreSlim release = new(0);
        using SemaphoreSlim entered = new(0);
        UdpTestContext context = new(UdpTestContext.EchoAfter(text =>
        {
            if (text == "block")
            {
                entered.Release();
                release.Wait();
            }
        }));
        CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        for (int round = 0; round < 2; round++)
        {
            for (int i = 0; i < Blocked; i++)
            {
                peer.Send("block", At("127.0.0.1", transport));
            }

            for (int i = 0; i < Blocked; i++)
            {
                Assert.True(await entered.WaitAsync(Hang));
            }

            peer.Send("other", At("127.0.0.1", transport));
            Assert.Equal("other", await peer.ReceiveTextAsync());

            release.Release(Blocked);
            Assert.All(await peer.ReceiveTextsAsync(Blocked), text => Assert.Equal("block", text));
            peer.Send("after", At("127.0.0.1", transport));
            Assert.Equal("after", await peer.ReceiveTextAsync());
        }

        // The loop itself; the watchdog ends when nothing happens.
        await context.Threads.WhenAtMostAsync(1);
        await transport.DisposeAsync();
        await context.Threads.WhenAtMostAsync(0);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Datagrams_that_a_handler_sends_before_and_after_it_blocks_all_reach_the_peer(CoapSocketEngine engine)
    {
        using ManualResetEventSlim release = new();
        UdpTestContext context = new(datagram =>
        {
            CoapTransport transport = datagram.Transport!;
            UserCodeScope.Enter();
            transport.Send(UdpTestContext.Reply(datagram, "early"u8));
            release.Wait();
            transport.Send(UdpTestContext.Reply(datagram, "late"u8));
            UserCodeScope.Exit();
            transport.Send(UdpTestContext.Reply(datagram, "last"u8));
            datagram.Dispose();
        });
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        peer.Send("go", At("127.0.0.1", transport));
        Assert.Equal("early", await peer.ReceiveTextAsync());
        release.Set();
        Assert.Equal("late", await peer.ReceiveTextAsync());
        Assert.Equal("last", await peer.ReceiveTextAsync());
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task The_buffer_of_a_blocked_handler_is_not_reused(CoapSocketEngine engine)
    {
        using ManualResetEventSlim release = new();
        UdpTestContext context = new(datagram =>
        {
            CoapTransport transport = datagram.Transport!;
            UserCodeScope.Enter();
            if (datagram.Span.StartsWith("block"u8))
            {
                release.Wait();
            }

            UserCodeScope.Exit();
            CoapDatagram reply = UdpTestContext.Reply(datagram, datagram.Span);
            datagram.Dispose();
            transport.Send(reply);
        });
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        for (int i = 0; i < 5; i++)
        {
            peer.Send($"block {i}", At("127.0.0.1", transport));
        }

        for (int i = 0; i < 200; i++)
        {
            peer.Send($"other {i}", At("127.0.0.1", transport));
            Assert.Equal($"other {i}", await peer.ReceiveTextAsync());
        }

        release.Set();
        Assert.Equal(["block 0", "block 1", "block 2", "block 3", "block 4"], await peer.ReceiveTextsAsync(5));
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Nested_user_code_is_handed_over_once(CoapSocketEngine engine)
    {
        using ManualResetEventSlim release = new();
        Action<CoapDatagram> inner = UdpTestContext.EchoAfter(text =>
        {
            if (text == "block")
            {
                release.Wait();
            }
        });
        UdpTestContext context = new(datagram =>
        {
            // A block of a user that offers on to the next stage inline.
            UserCodeScope.Enter();
            inner(datagram);
            UserCodeScope.Exit();
        });
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        peer.Send("block", At("127.0.0.1", transport));
        peer.Send("other", At("127.0.0.1", transport));
        Assert.Equal("other", await peer.ReceiveTextAsync());
        release.Set();
        Assert.Equal("block", await peer.ReceiveTextAsync());
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task No_answer_is_lost_or_duplicated_while_threads_hand_over_the_loop(CoapSocketEngine engine)
    {
        const int Count = 1500;
        using ManualResetEventSlim never = new();
        UdpTestContext context = new(datagram =>
        {
            CoapTransport transport = datagram.Transport!;
            int number = BitConverter.ToInt32(datagram.Span);
            UserCodeScope.Enter();
            transport.Send(UdpTestContext.Reply(datagram, datagram.Span));
            if (number % 40 == 0)
            {
                // About as long as it takes to be noticed, so that coming back and being taken over race.
                never.Wait(4 + (number % 5));
                transport.Send(UdpTestContext.Reply(datagram, BitConverter.GetBytes(number + (2 * Count))));
            }

            UserCodeScope.Exit();
            transport.Send(UdpTestContext.Reply(datagram, BitConverter.GetBytes(number + Count)));
            datagram.Dispose();
        });
        CoapUdpTransportOptions options = new()
        {
            Engine = engine,
            IsServer = true,
            HandOverAfter = FromMilliseconds(1),
            Endpoints = { new(System.Net.IPAddress.Loopback, 0) }
        };
        CoapUdpTransport transport = await StartAsync(context, options);
        using UdpTestPeer peer = new();
        List<int> answers = [];
        int expected = 0;
        for (int i = 0; i < Count; i++)
        {
            peer.Send(BitConverter.GetBytes(i), At("127.0.0.1", transport));
            expected += i % 40 == 0 ? 3 : 2;

            // No more at a time than the buffers of sockets hold on any machine, however long a thread is kept from emptying them.
            while (i % 100 == 99 && answers.Count < expected)
            {
                answers.Add(BitConverter.ToInt32((await peer.ReceiveAsync()).Data));
            }
        }

        Assert.Equal(expected, answers.Distinct().Count());
        await transport.DisposeAsync();
        await context.Threads.WhenAtMostAsync(0);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task An_exception_of_the_pipeline_is_counted_and_the_loop_continues(CoapSocketEngine engine)
    {
        Action<CoapDatagram> echo = UdpTestContext.EchoAfter(text =>
        {
            if (text == "throw")
            {
                throw new InvalidOperationException("a bug");
            }
        });
        UdpTestContext context = new(echo);
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        peer.Send("throw", At("127.0.0.1", transport));
        peer.Send("other", At("127.0.0.1", transport));

        Assert.Equal("other", await peer.ReceiveTextAsync());
        // On a busy machine the loop may have taken the first for blocked, and another thread the second, before it is counted.
        await Eventually.IsTrueAsync(() => context.Counters[CoapCounter.StageErrors] == 1);
    }
}
