using CoAP.NET.Dtls;

namespace CoAP.NET.Bench;

/// <summary>A store that is asked, and never answers.</summary>
internal sealed class SilentPskStore : ICoapPskStore
{
    private readonly TaskCompletionSource<ReadOnlyMemory<byte>> _never = new();

    public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken) => new(_never.Task);
}
