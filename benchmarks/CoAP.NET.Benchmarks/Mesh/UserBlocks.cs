namespace CoAP.NET.Benchmarks;

/// <summary>A block of a user at each link of a pipeline.</summary>
internal sealed class UserBlocks
{
    private readonly List<Func<long>> _counts = [];

    /// <summary>How many items passed them all in all.</summary>
    public long Passed => _counts.Sum(count => count());

    public void InsertAll(CoapPipelineOptions options)
    {
        Insert(options, CoapStageLinks.TransportToChannel);
        Insert(options, CoapStageLinks.ChannelToSerializer);
        Insert(options, CoapStageLinks.SerializerToMessaging);
        Insert(options, CoapStageLinks.MessagingToExchanges);
        Insert(options, CoapStageLinks.ExchangesToResource);
        Insert(options, CoapStageLinks.ResourceToExchanges);
        Insert(options, CoapStageLinks.ExchangesToMessaging);
        Insert(options, CoapStageLinks.MessagingToSerializer);
        Insert(options, CoapStageLinks.SerializerToChannel);
        Insert(options, CoapStageLinks.ChannelToTransport);
    }

    private void Insert<T>(CoapPipelineOptions options, CoapStageLink<T> link) => options.Insert(link, IPropagatorBlock<T, T> () =>
    {
        PassingBlock<T> block = new();
        _counts.Add(() => block.Count);
        return block;
    });
}
