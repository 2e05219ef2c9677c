namespace CoAP.NET.Tests.Messaging;

/// <summary>How long random campaigns run. COAP_TEST_CAMPAIGN multiplies their length, COAP_TEST_SEED changes what they do.</summary>
internal static class Campaign
{
    public static int Rounds(int normal) => normal * CampaignSetting.Of("COAP_TEST_CAMPAIGN", 1);

    public static int Seed => CampaignSetting.Of("COAP_TEST_SEED", 20_260);
}
