namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>
/// How long campaigns run: COAP_TEST_DTLS_HELLOS addresses that say ClientHello (default 2,000), COAP_TEST_DTLS_FORGED datagrams against a
/// session (default 10,000), COAP_TEST_DTLS_SESSIONS idle sessions (default 300), COAP_TEST_DTLS_HANDSHAKES handshakes whose cost is
/// printed (default 50), COAP_TEST_DTLS_CRASHES runs of a server that crashes (default 100), and COAP_TEST_SEED (default 1) for what is
/// left to chance.
/// </summary>
internal static class Campaign
{
    public static int Hellos { get; } = Setting("COAP_TEST_DTLS_HELLOS", 2_000);

    public static int Forged { get; } = Setting("COAP_TEST_DTLS_FORGED", 10_000);

    public static int Sessions { get; } = Setting("COAP_TEST_DTLS_SESSIONS", 300);

    public static int Handshakes { get; } = Setting("COAP_TEST_DTLS_HANDSHAKES", 50);

    public static int Crashes { get; } = Setting("COAP_TEST_DTLS_CRASHES", 100);

    public static int Seed { get; } = Setting("COAP_TEST_SEED", 1);

    private static int Setting(string name, int otherwise) =>
        int.TryParse(Environment.GetEnvironmentVariable(name), NumberStyles.None, CultureInfo.InvariantCulture, out int value)
            ? value
            : otherwise;
}
