using System.Text;

namespace CoAP.NET.Survival.Nodes;

/// <summary>Keys of as many devices as come: they all have the same one, as nothing here is secret.</summary>
internal sealed class AnyDevice : ICoapPskStore
{
    public static ReadOnlyMemory<byte> Key { get; } = Encoding.ASCII.GetBytes(SecureClient.Key);

    public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken) => new(Key);
}
