namespace CoAP.NET.Tests.Shared;

/// <summary>
/// Hosts in tests do not watch their configuration files: each would take one of the 128 inotify instances that Linux gives a user by
/// default, which all processes of the user share.
/// </summary>
public sealed class NoFileWatching
{
    public NoFileWatching()
    {
        Environment.SetEnvironmentVariable("DOTNET_hostBuilder__reloadConfigOnChange", "false");
        Environment.SetEnvironmentVariable("ASPNETCORE_hostBuilder__reloadConfigOnChange", "false");
    }
}
