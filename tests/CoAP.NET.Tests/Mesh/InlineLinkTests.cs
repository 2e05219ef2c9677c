using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Mesh;

/// <summary>Link options, several links and unlinking.</summary>
public class InlineLinkTests
{
    [Fact]
    public void Targets_are_offered_in_link_order_and_Append_false_goes_first()
    {
        RelayBlock<int> block = new();
        List<string> order = [];
        block.LinkTo(Recorder("a", DataflowMessageStatus.Declined));
        block.LinkTo(Recorder("b", DataflowMessageStatus.Accepted));
        block.LinkTo(Recorder("c", DataflowMessageStatus.Declined), new DataflowLinkOptions { Append = false });

        block.Post(1);

        Assert.Equal(["c", "a", "b"], order);

        ScriptedTarget<int> Recorder(string name, DataflowMessageStatus status) => new(_ =>
        {
            order.Add(name);
            return status;
        });
    }

    [Fact]
    public void The_same_target_linked_twice_is_offered_twice()
    {
        RelayBlock<int> block = new();
        ScriptedTarget<int> target = new(_ => DataflowMessageStatus.Declined);
        block.LinkTo(target);
        IDisposable second = block.LinkTo(target);
        block.Post(1);
        Assert.Equal(2, target.Offers.Count);

        second.Dispose();
        block.Post(2);
        Assert.Equal(3, target.Offers.Count);
    }

    [Fact]
    public void Disposing_a_link_a_second_time_has_no_effect()
    {
        RelayBlock<int> block = new();
        CollectTarget<int> first = new();
        CollectTarget<int> second = new();
        IDisposable link = block.LinkTo(first);
        block.LinkTo(second);
        link.Dispose();
        link.Dispose();
        block.Post(1);
        Assert.Empty(first.Items);
        Assert.Equal([1], second.Items);
    }

    [Fact]
    public void MaxMessages_unlinks_after_the_last_accepted_item_and_does_not_count_declined_items()
    {
        RelayBlock<int> block = new();
        List<int> limited = [];
        ScriptedTarget<int> first = new(item =>
        {
            if (item % 2 == 0)
            {
                return DataflowMessageStatus.Declined;
            }

            limited.Add(item);
            return DataflowMessageStatus.Accepted;
        });
        CollectTarget<int> rest = new();
        block.LinkTo(first, new DataflowLinkOptions { MaxMessages = 2, PropagateCompletion = true });
        block.LinkTo(rest);

        for (int i = 0; i < 6; i++)
        {
            block.Post(i);
        }

        block.Complete();
        Assert.Equal([1, 3], limited);
        Assert.Equal([0, 2, 4, 5], rest.Items);
        Assert.False(first.IsCompleted);
    }

    [Fact]
    public void MaxMessages_is_exact_under_concurrent_offers()
    {
        for (int round = 0; round < 20; round++)
        {
            RelayBlock<int> block = new();
            int turn = 0;
            int taken = 0;
            ScriptedTarget<int> limited = new(_ =>
            {
                if (Interlocked.Increment(ref turn) % 3 == 0)
                {
                    return DataflowMessageStatus.Declined;
                }

                Interlocked.Increment(ref taken);
                return DataflowMessageStatus.Accepted;
            });
            CollectTarget<int> rest = new();
            block.LinkTo(limited, new DataflowLinkOptions { MaxMessages = 100 });
            block.LinkTo(rest);

            MeshRig.OnThreads(4, _ =>
            {
                for (int i = 0; i < 500; i++)
                {
                    block.Post(i);
                }
            });

            Assert.Equal(100, taken);
            Assert.Equal(1_900, rest.Items.Count);
            Assert.Empty(block.Declined);
        }
    }

    [Fact]
    public void Linking_and_unlinking_while_several_threads_offer_loses_nothing()
    {
        RelayBlock<int> block = new();
        CollectTarget<int> sometimes = new();
        CollectTarget<int> always = new();
        block.LinkTo(always);
        int running = 3;

        MeshRig.OnThreads(4, index =>
        {
            if (index == 0)
            {
                while (Volatile.Read(ref running) > 0)
                {
                    block.LinkTo(sometimes, new DataflowLinkOptions { Append = false }).Dispose();
                }

                return;
            }

            for (int i = 0; i < 20_000; i++)
            {
                block.Post(i);
            }

            Interlocked.Decrement(ref running);
        });

        Assert.Equal(60_000, sometimes.Items.Count + always.Items.Count);
        Assert.Empty(block.Declined);
    }

    [Fact]
    public void A_target_that_declines_permanently_is_unlinked()
    {
        RelayBlock<int> block = new();
        ScriptedTarget<int> gone = new(_ => DataflowMessageStatus.DecliningPermanently);
        block.LinkTo(gone);
        block.Post(1);
        block.Post(2);
        Assert.Single(gone.Offers);
        Assert.Equal([1, 2], block.Declined);
    }

    [Fact]
    public void A_target_that_completed_early_is_logged_as_a_warning_and_not_as_a_fault()
    {
        ListLogger logger = new();
        RelayBlock<int> block = new(logger: logger);
        Exception? fault = null;
        block.LinkedTargetFaulted += exception => fault = exception;
        CollectTarget<int> target = new();
        block.LinkTo(target);
        target.Complete();
        block.Post(1);
        Assert.Null(fault);
        Assert.Equal(Microsoft.Extensions.Logging.LogLevel.Warning, Assert.Single(logger.Entries).Level);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_standard_block_that_faulted_is_reported_once_also_behind_a_filter(bool filtered)
    {
        RelayBlock<int> block = new();
        List<Exception> faults = [];
        block.LinkedTargetFaulted += faults.Add;
        ActionBlock<int> target = new(_ => throw new InvalidOperationException("user"));
        if (filtered)
        {
            block.LinkTo(target, _ => true);
        }
        else
        {
            block.LinkTo(target);
        }

        block.Post(1);
        await Assert.ThrowsAsync<InvalidOperationException>(() => target.Completion.Soon());
        Assert.Empty(faults);
        block.Post(2);
        block.Post(3);

        Assert.Equal("user", Assert.IsType<InvalidOperationException>(Assert.Single(faults)).Message);
        Assert.Equal([2, 3], block.Declined);
    }

    [Fact]
    public async Task A_filter_that_hides_its_target_is_at_least_a_warning()
    {
        ListLogger logger = new();
        RelayBlock<int> block = new(logger: logger);
        ISourceBlock<int> source = block;
        ActionBlock<int> target = new(_ => throw new InvalidOperationException("user"));
        source.LinkTo(target, _ => true);
        block.Post(1);
        await Assert.ThrowsAsync<InvalidOperationException>(() => target.Completion.Soon());
        block.Post(2);
        Assert.Equal(1611, Assert.Single(logger.Entries).Id);
    }

    [Fact]
    public void The_fault_of_a_target_that_becomes_visible_after_it_declined_is_reported()
    {
        TaskCompletionSource completion = new();
        RelayBlock<int> block = new();
        Exception? fault = null;
        block.LinkedTargetFaulted += exception => fault = exception;
        block.LinkTo(new ScriptedTarget<int>(_ => DataflowMessageStatus.DecliningPermanently, completion.Task));
        block.Post(1);
        Assert.Null(fault);
        completion.SetException(new InvalidOperationException("late"));
        Assert.Equal("late", fault!.Message);
    }

    [Fact]
    public void An_exception_of_a_LinkedTargetFaulted_subscriber_does_not_reach_the_caller_of_Post()
    {
        RelayBlock<int> block = new();
        block.LinkedTargetFaulted += _ => throw new InvalidOperationException("subscriber");
        CollectTarget<int> target = new();
        block.LinkTo(target);
        target.Fault(new InvalidOperationException("stage"));
        Assert.True(block.Post(1));
        Assert.Equal(1, block.Counters[CoapCounter.StageErrors]);
    }

    [Fact]
    public void LinkTo_refuses_a_null_target_options_or_predicate()
    {
        RelayBlock<int> block = new();
        Assert.Throws<ArgumentNullException>("target", () => block.LinkTo(null!, MeshRig.Propagate));
        Assert.Throws<ArgumentNullException>("options", () => block.LinkTo(new CollectTarget<int>(), (DataflowLinkOptions)null!));
        Assert.Throws<ArgumentNullException>("predicate", () => block.LinkTo(new CollectTarget<int>(), (Predicate<int>)null!));
    }

    [Fact]
    public void Five_chained_blocks_allocate_nothing()
    {
        PlainRelay<Disposable>[] chain = [.. Enumerable.Range(0, 5).Select(_ => new PlainRelay<Disposable>())];
        for (int i = 1; i < chain.Length; i++)
        {
            chain[i - 1].LinkTo(chain[i]);
        }

        int count = 0;
        CountTarget end = new(() => count++);
        chain[^1].LinkTo(end);
        Disposable item = new("item");
        chain[0].OfferMessage(MeshRig.Header, item, null, false);

        long allocated = Allocations.Least(() =>
        {
            for (int i = 0; i < 20_000; i++)
            {
                chain[0].OfferMessage(MeshRig.Header, item, null, false);
            }
        });

        Assert.Equal((20_000 * Allocations.Runs) + 1, count);
        Assert.Equal(0, allocated);
    }

    private sealed class CountTarget(Action count)
        : InlineTarget<Disposable>(new CoapCounters(), Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance)
    {
        internal override void Process(Disposable item) => count();
    }
}
