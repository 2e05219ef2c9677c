using System.Globalization;

namespace CoAP.NET.Tests.Shared;

/// <summary>How long campaigns run and what they do: whole numbers of the environment.</summary>
internal static class CampaignSetting
{
    public static int Of(string name, int otherwise) =>
        int.TryParse(Environment.GetEnvironmentVariable(name), NumberStyles.None, CultureInfo.InvariantCulture, out int value)
            ? value
            : otherwise;
}
