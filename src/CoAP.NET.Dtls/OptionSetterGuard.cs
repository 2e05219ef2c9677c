namespace CoAP.NET.Dtls;

/// <summary>Checks that options are not changed while an endpoint uses them.</summary>
internal static class OptionSetterGuard
{
    public static T Unused<T>(string? user, T value, string name) => user is null
        ? value
        : throw new InvalidOperationException(
            $"{name} cannot be changed any more: {user} uses these options. To renew certificates while an endpoint runs, set "
                + "SelectCredentials before. For another endpoint create other options.");
}
