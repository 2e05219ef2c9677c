namespace CoAP.NET.Dtls;

/// <summary>Checks what options are set to, and when; an error names what is valid.</summary>
internal static class OptionSetterGuard
{
    public static TimeSpan Check(TimeSpan value, TimeSpan least, TimeSpan most, string name) =>
        value >= least && value <= most
            ? value
            : throw new ArgumentOutOfRangeException(name, value, $"{name} is {value:c}. Set it to {least:c} to {most:c}.");

    public static T Unused<T>(string? user, T value, string name) => user is null
        ? value
        : throw new InvalidOperationException(
            $"{name} cannot be changed any more: {user} uses these options. To renew certificates while an endpoint runs, set "
                + "SelectCredentials before. For another endpoint create other options.");
}
