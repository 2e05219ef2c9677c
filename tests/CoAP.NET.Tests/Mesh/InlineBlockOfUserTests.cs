using System.Threading.Tasks.Dataflow;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Mesh;

/// <summary>The base for blocks of users without a queue, among blocks of the Dataflow library.</summary>
public sealed class InlineBlockOfUserTests
{
    [Fact]
    public async Task An_item_passes_during_the_offer_and_completion_propagates()
    {
        Doubling block = new();
        BufferBlock<string> target = new();
        block.LinkTo(target, MeshRig.Propagate);

        Assert.True(block.Post(1));
        Assert.True(target.TryReceive(out string? item));
        Assert.Equal("11", item);
        block.Complete();
        Assert.False(block.Post(2));
        await target.Completion.Soon();
        await block.Completion.Soon();
    }

    [Fact]
    public async Task An_exception_faults_the_block_and_its_linked_target()
    {
        PassBlock<int> block = new(_ => throw new InvalidOperationException("user"));
        BufferBlock<int> target = new();
        block.LinkTo(target, MeshRig.Propagate);
        block.Post(1);

        await Assert.ThrowsAsync<InvalidOperationException>(() => block.Completion.Soon());
        Assert.NotNull(await Record.ExceptionAsync(() => target.Completion.Soon()));
        Assert.False(block.Post(2));
    }

    [Fact]
    public async Task A_preceding_standard_block_continues_after_an_item_that_no_target_takes()
    {
        bool isOpen = false;
        BufferBlock<Disposable> source = new();
        GateBlock<Disposable> gate = new(() => isOpen);
        BufferBlock<Disposable> target = new();
        source.LinkTo(gate);
        gate.LinkTo(target);
        Disposable first = new("first");
        source.Post(first);
        await Eventually.IsTrueAsync(() => first.Disposals == 1);

        isOpen = true;
        source.Post(new Disposable("second"));
        Assert.Equal("second", (await target.ReceiveAsync().WaitAsync(MeshRig.HangGuard)).Name);
    }

    [Fact]
    public async Task An_item_waiting_in_its_source_is_taken_once_when_the_block_is_linked()
    {
        BufferBlock<int> source = new();
        source.Post(1);
        PassBlock<int> first = new(_ => { });
        source.LinkTo(first, MeshRig.Propagate);
        BufferBlock<int> target = new();
        first.LinkTo(target, MeshRig.Propagate);
        source.Post(2);
        source.Complete();
        await source.Completion.Soon();
        await first.Completion.Soon();
        Assert.InRange(target.Count, 1, 2);
    }

    [Fact]
    public void Invalid_offers_throw()
    {
        PassBlock<int> block = new(_ => { });
        Assert.Throws<ArgumentException>(() => block.OfferMessage(default, 1, null, consumeToAccept: false));
        Assert.Throws<ArgumentException>(() => block.OfferMessage(new DataflowMessageHeader(1), 1, null, consumeToAccept: true));
    }

    private sealed class Doubling : CoapInlineBlock<int, string>
    {
        protected override bool Process(int item) => Offer($"{item}{item}");
    }
}
