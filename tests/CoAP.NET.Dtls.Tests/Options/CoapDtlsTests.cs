namespace CoAP.NET.Dtls.Tests.Options;

public sealed class CoapDtlsTests
{
    [Fact]
    public void This_machine_supports_coaps() => Assert.True(CoapDtls.IsSupported);

    [Fact]
    public void The_default_suites_contain_no_ECDHE_PSK_suite_and_a_configured_ECDHE_PSK_suite_is_used()
    {
        Assert.DoesNotContain(CoapDtlsCipherSuite.EcdhePskAes128Ccm8Sha256, CoapDtlsOptions.DefaultCipherSuites);
        CoapDtlsOptions options = new()
        {
            CipherSuites = { CoapDtlsCipherSuite.EcdhePskAes128Ccm8Sha256 },
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential("meter", new byte[16]) },
        };
        options.Validate();
        Assert.Equal(["TLS_ECDHE_PSK_WITH_AES_128_CCM_8_SHA256"],
            DtlsSettings.From(options, isServer: false).MakeClientContext().Settings.Suites.Select(static suite => suite.Name));
    }
}
