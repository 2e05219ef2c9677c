using System.Text;
using CoAP.NET.Dtls;

namespace CoAP.NET.Bench;

/// <summary>The same key for any identity.</summary>
internal sealed class SharedPskStore : ICoapPskStore
{
    public static ReadOnlyMemory<byte> Key { get; } = Encoding.ASCII.GetBytes(SecureClient.Key);

    public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken) => new(Key);
}
