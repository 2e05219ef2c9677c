namespace CoAP.NET.Tests.Endpoints;

/// <summary>
/// How long the campaigns against endpoints run: COAP_TEST_MUTATIONS datagrams (default 200,000) against a server and half of it against a
/// client, COAP_TEST_NETWORKS lossy networks (default 30); COAP_TEST_SEED changes what they do.
/// </summary>
internal static class EndpointCampaign
{
    public static int Datagrams => CampaignSetting.Of("COAP_TEST_MUTATIONS", 200_000);

    public static int Networks => CampaignSetting.Of("COAP_TEST_NETWORKS", 30);

    public static int Seed => CampaignSetting.Of("COAP_TEST_SEED", 20_261);
}
