namespace CoAP.NET.Benchmarks;

/// <summary>A block of a user at each seam of a pipeline.</summary>
internal sealed class UserBlocks
{
    private readonly List<Func<long>> _counts = [];

    /// <summary>How many items passed them all in all.</summary>
    public long Passed => _counts.Sum(count => count());

    public void InsertAll(CoapPipelineOptions options)
    {
        Insert(options, CoapSeams.TransportToChannel);
        Insert(options, CoapSeams.ChannelToSerializer);
        Insert(options, CoapSeams.SerializerToMessaging);
        Insert(options, CoapSeams.MessagingToExchanges);
        Insert(options, CoapSeams.ExchangesToResource);
        Insert(options, CoapSeams.ResourceToExchanges);
        Insert(options, CoapSeams.ExchangesToMessaging);
        Insert(options, CoapSeams.MessagingToSerializer);
        Insert(options, CoapSeams.SerializerToChannel);
        Insert(options, CoapSeams.ChannelToTransport);
    }

    private void Insert<T>(CoapPipelineOptions options, CoapSeam<T> seam) => options.Insert(seam, IPropagatorBlock<T, T> () =>
    {
        PassingBlock<T> block = new();
        _counts.Add(() => block.Count);
        return block;
    });
}
