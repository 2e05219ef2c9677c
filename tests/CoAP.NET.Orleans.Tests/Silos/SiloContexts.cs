using CoAP.NET.Oscore;

namespace CoAP.NET.Orleans.Tests.Silos;

/// <summary>Opens the OSCORE contexts of devices, whose number is their Sender ID.</summary>
/// <param name="store">The store of the cluster.</param>
internal sealed class SiloContexts(IOscoreStore store) : IOscoreContextResolver
{
    private static readonly byte[] s_server = [0x53];

    /// <summary>Creates the context of a device.</summary>
    /// <param name="device">Its number.</param>
    public static OscoreContext MakeClient(byte device)
    {
        using OscoreParameters parameters = new([.. Enumerable.Repeat(device, 16)], senderId: [device], recipientId: s_server);
        return OscoreContext.CreateVolatile(parameters);
    }

    public async ValueTask<OscoreContext?> FindAsync(
        ReadOnlyMemory<byte> kid, ReadOnlyMemory<byte>? idContext, CancellationToken cancellationToken)
    {
        using OscoreParameters parameters = new(
            [.. Enumerable.Repeat(kid.Span[0], 16)], senderId: s_server, recipientId: kid.Span);
        return await OscoreContext.OpenAsync(parameters, store, cancellationToken: cancellationToken);
    }
}
