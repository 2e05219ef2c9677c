namespace CoAP.NET.Settings;

/// <summary>Makes settings read-only.</summary>
internal static class SettingsExtensions
{
    /// <summary>Returns settings that are read-only from now on.</summary>
    /// <typeparam name="T">Their type.</typeparam>
    /// <param name="settings">The settings.</param>
    /// <param name="user">What uses them, as in "an endpoint"; errors name it.</param>
    public static T UsedBy<T>(this T settings, string user)
        where T : ISettings
    {
        settings.MakeReadOnly(user);
        return settings;
    }
}
