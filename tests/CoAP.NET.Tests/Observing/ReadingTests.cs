using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Observing;

public sealed class ReadingTests : ClientObserveTest
{
    [Fact]
    public async Task A_slow_reader_gets_only_the_newest_notification()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await using IAsyncEnumerator<CoapResponse> reader = observation.ReadAllAsync().GetAsyncEnumerator();
        Assert.True(await Within(reader.MoveNextAsync().AsTask()));
        reader.Current.Says("one");
        for (uint i = 2; i <= 1000; i++)
        {
            Notify(registration.Token, i, $"{i}", confirmable: false);
        }

        Assert.True(await Within(reader.MoveNextAsync().AsTask()));
        reader.Current.Says("1000");
        Task<bool> next = reader.MoveNextAsync().AsTask();
        Assert.False(next.IsCompleted);
        Notify(registration.Token, 1001, "1001", confirmable: false);
        Assert.True(await Within(next));
        reader.Current.Says("1001");
        next = reader.MoveNextAsync().AsTask();
        await observation.DisposeAsync();
        Assert.False(await Within(next));
    }

    [Fact]
    public async Task Several_readers_read_at_their_own_pace()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await using CoapObservation disposed = observation;
        await using IAsyncEnumerator<CoapResponse> quick = observation.ReadAllAsync().GetAsyncEnumerator();
        await using IAsyncEnumerator<CoapResponse> slow = observation.ReadAllAsync().GetAsyncEnumerator();
        Assert.True(await Within(quick.MoveNextAsync().AsTask()));
        for (uint i = 2; i < 10; i++)
        {
            Task<bool> next = quick.MoveNextAsync().AsTask();
            Notify(registration.Token, i, $"{i}", confirmable: false);
            Assert.True(await Within(next));
            quick.Current.Says($"{i}");
        }

        Assert.True(await Within(slow.MoveNextAsync().AsTask()));
        slow.Current.Says("9");
    }

    [Fact]
    public async Task Cancelling_a_reader_does_not_end_the_observation()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await using CoapObservation disposed = observation;
        using CancellationTokenSource cancel = new();
        await using IAsyncEnumerator<CoapResponse> reader = observation.ReadAllAsync(cancel.Token).GetAsyncEnumerator(cancel.Token);
        Assert.True(await Within(reader.MoveNextAsync().AsTask()));
        Task<bool> next = reader.MoveNextAsync().AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(next));
        NotifyAcknowledged(registration.Token, 2, "two");
        observation.Latest.Says("two");
    }

    [Fact]
    public async Task The_source_block_offers_the_latest_and_each_new_notification_and_completes()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        ISourceBlock<CoapResponse> source = observation.AsSourceBlock();
        BufferBlock<CoapResponse> buffer = new();
        source.LinkTo(buffer, new DataflowLinkOptions { PropagateCompletion = true });
        await Within(buffer.ReceiveAsync()).Says("one");
        NotifyAcknowledged(registration.Token, 2, "two");
        await Within(buffer.ReceiveAsync()).Says("two");
        await observation.DisposeAsync();
        await Within(buffer.Completion);
        await Within(observation.AsSourceBlock().Completion);
    }

    [Fact]
    public async Task An_exception_of_the_notification_callback_is_counted_and_the_next_notification_is_delivered()
    {
        List<string> seen = [];
        Task<CoapObservation> registering = Client.ObserveAsync(Uri, response =>
        {
            seen.Add(response.GetText());
            throw new InvalidOperationException("user");
        });
        CoapMessage registration = TakeRequest();
        Answer(registration, 1, "one");
        await using CoapObservation observation = await Within(registering);
        NotifyAcknowledged(registration.Token, 2, "two");
        NotifyAcknowledged(registration.Token, 1, "late");
        NotifyAcknowledged(registration.Token, 3, "three");
        Assert.Equal(["one", "two", "three"], seen);
        Assert.Equal(3, Endpoint.Counters[CoapCounter.HandlerErrors]);
    }

    [Fact]
    public async Task Notifications_during_a_running_callback_are_skipped_except_the_newest_and_never_nested()
    {
        List<string> seen = [];
        CoapMessage? registration = null;
        int depth = 0;
        void OnNotification(CoapResponse response)
        {
            Assert.Equal(1, ++depth);
            seen.Add(response.GetText());
            if (response.GetText() == "two")
            {
                for (uint i = 3; i < 9; i++)
                {
                    Notify(registration!.Token, i, $"{i}", confirmable: false);
                }
            }

            depth--;
        }

        (CoapObservation observation,
            registration) = await RegisterAsync(options: new CoapObservationOptions { OnNotification = OnNotification });
        await using CoapObservation disposed = observation;
        NotifyAcknowledged(registration.Token, 2, "two");
        Assert.Equal(["one", "two", "8"], seen);
        Assert.Equal(0, Endpoint.Counters[CoapCounter.HandlerErrors]);
    }

    [Fact]
    public async Task An_AsyncLocal_value_set_by_the_notification_callback_does_not_leak_out_of_the_callback()
    {
        AsyncLocal<string?> local = new();
        List<string?> before = [];
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(options: new CoapObservationOptions
        {
            OnNotification = _ =>
            {
                before.Add(local.Value);
                local.Value = "set";
            },
        });
        await using CoapObservation disposed = observation;
        NotifyAcknowledged(registration.Token, 2, "two");
        Assert.Equal([null, null], before);
        Assert.Null(local.Value);
    }
}
