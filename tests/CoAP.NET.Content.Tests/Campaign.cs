namespace CoAP.NET.Content.Tests;

/// <summary>
/// How long campaigns run: CONTENT_ROUNDS payloads (default: what the test says), and CONTENT_SEED for what is left to chance.
/// </summary>
internal static class Campaign
{
    public static int Rounds(int otherwise) => CampaignSetting.Of("CONTENT_ROUNDS", otherwise);

    public static int Seed(int otherwise) => CampaignSetting.Of("CONTENT_SEED", otherwise);
}
