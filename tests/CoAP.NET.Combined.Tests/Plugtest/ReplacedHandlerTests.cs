using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>TD_COAP_CORE with a Handler of the application that passes all items on.</summary>
public sealed class ReplacedHandlerCoreTests : ServerCoreTests
{
    private protected override void Configure(CoapEndpointOptions options) => ThinHandler.Replace(options);
}

/// <summary>TD_COAP_BLOCK with a Handler of the application that passes all items on.</summary>
public sealed class ReplacedHandlerBlockTests : ServerBlockTests
{
    private protected override void Configure(CoapEndpointOptions options) => ThinHandler.Replace(options);
}

/// <summary>TD_COAP_OBS with a Handler of the application that passes all items on.</summary>
public sealed class ReplacedHandlerObserveTests : ServerObserveTests
{
    private protected override void Configure(CoapEndpointOptions options) => ThinHandler.Replace(options);
}

/// <summary>A Handler that passes each item through two blocks of its own, before and behind the Handler of the library.</summary>
internal static class ThinHandler
{
    public static void Replace(CoapEndpointOptions options) =>
        options.Pipeline.Replace(CoapStages.Handler, static shard => new CoapHandlerStageBlocks(
        Around(shard.Handler.Inbound), Around(shard.Handler.Outbound)));

    private static IPropagatorBlock<TInput, TOutput> Around<TInput, TOutput>(IPropagatorBlock<TInput, TOutput> standard)
    {
        DataflowLinkOptions propagate = new() { PropagateCompletion = true };
        Passing<TInput> before = new();
        Passing<TOutput> behind = new();
        before.LinkTo(standard, propagate);
        standard.LinkTo(behind, propagate);
        return DataflowBlock.Encapsulate(before, behind);
    }

    private sealed class Passing<T> : CoapInlineBlock<T, T>
    {
        protected override bool Process(T item) => Offer(item);
    }
}
