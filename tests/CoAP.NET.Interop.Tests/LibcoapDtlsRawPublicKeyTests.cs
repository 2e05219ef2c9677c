using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Interop.Tests;

/// <summary>
/// Raw public keys (RFC 7250; RFC 7252 section 9.1.3.2) with libcoap and GnuTLS, as its OpenSSL has none. Ours has them from 3.2 on; with
/// an older one it is tested that we say so.
/// </summary>
public sealed class LibcoapDtlsRawPublicKeyTests : IDisposable
{
    private readonly TemporaryDirectory _files = new();
    private readonly ECDsa _own = ECDsa.Create(ECCurve.NamedCurves.nistP256);
    private readonly ECDsa _theirs = ECDsa.Create(ECCurve.NamedCurves.nistP256);

    public void Dispose()
    {
        _files.Dispose();
        _own.Dispose();
        _theirs.Dispose();
    }

    [Theory]
    [External(LibcoapClient.GnuTlsProgram)]
    [InlineData(true)]
    [InlineData(false)]
    [Rfc("7252-9.1.3.2-1")]
    public async Task A_client_is_identified_by_its_raw_public_key(bool isKnown)
    {
        CoapDtlsOptions options = new()
        {
            Server = new CoapDtlsServerOptions
            {
                RawPublicKey = _own,
                RequireClientCertificate = true,
                ValidateClientCertificate = (_, _, _, _) => new(false),
                ValidateClientPublicKey = (key, _) => new(isKnown && key.Span.SequenceEqual(_theirs.ExportSubjectPublicKeyInfo())),
            },
        };
        await using StreamServer server = await StreamServer.StartAsync(options);
        if (isKnown)
        {
            PeerResult result = await LibcoapClient.RunProgramAsync(LibcoapClient.GnuTlsProgram, "-M", TheirFile(), server.Uri("/who"));
            Assert.Equal("nobody", result.Output);
            Assert.Equal(
                _theirs.ExportSubjectPublicKeyInfo(), Assert.IsType<CoapDtlsPeerIdentity>(server.LastIdentity).PublicKey.ToArray());
        }
        else
        {
            await LibcoapClient.RunUntilRefusedAsync(LibcoapClient.GnuTlsProgram, server, 1, "-M", TheirFile(), server.Uri("/who"));
            Assert.Equal(0, server.Server.Counters[CoapCounter.RequestsReceived]);
        }
    }

    [Theory]
    [External(LibcoapServer.GnuTlsProgram)]
    [InlineData(true)]
    [InlineData(false)]
    [Rfc("7252-9.1.3.2-1")]
    public async Task A_server_is_identified_by_its_raw_public_key(bool isKnown)
    {
        await using LibcoapServer server = await LibcoapServer.StartProgramAsync(LibcoapServer.GnuTlsProgram, "-M", TheirFile());
        CoapDtlsOptions options = new()
        {
            HandshakeTimeout = PeerProcess.HangLimit,
            Client = new CoapDtlsClientOptions
            {
                RawPublicKey = _own,
                ValidateServerPublicKey = (_, key, _) => new(isKnown && key.Span.SequenceEqual(_theirs.ExportSubjectPublicKeyInfo()))
            },
        };
        await using CoapClient client = new(new CoapEndpointOptions().UseDtls(options));
        Task<CoapResponse> asked = client.GetAsync(server.DtlsUri("/time"));
        if (isKnown)
        {
            Assert.Equal(CoapCode.Content, (await asked.WaitAsync(PeerProcess.HangLimit)).Code);
        }
        else
        {
            Assert.Equal(CoapDtlsHandshakeFailure.NotTrusted, (await Refusals.OfAsync(asked)).Reason);
        }
    }

    private string TheirFile()
    {
        string file = _files.PathOf("key.pem");
        File.WriteAllText(file, $"{_theirs.ExportSubjectPublicKeyInfoPem()}\n{_theirs.ExportECPrivateKeyPem()}\n");
        return file;
    }
}
