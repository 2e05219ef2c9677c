using System.Runtime.CompilerServices;

namespace CoAP.NET.Tests.Shared;

/// <summary>
/// Hosts in tests do not watch their configuration files: each would take one of the 128 inotify instances that Linux gives a user by
/// default, which all processes of the user share.
/// </summary>
internal static class NoFileWatching
{
    // Module initializers are for applications; a test assembly is one.
#pragma warning disable CA2255
    [ModuleInitializer]
#pragma warning restore CA2255
    internal static void Set()
    {
        Environment.SetEnvironmentVariable("DOTNET_hostBuilder__reloadConfigOnChange", "false");
        Environment.SetEnvironmentVariable("ASPNETCORE_hostBuilder__reloadConfigOnChange", "false");
    }
}
