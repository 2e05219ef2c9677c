namespace CoAP.NET.Settings;

/// <summary>Makes settings read-only and returns them.</summary>
internal static class ReadOnlySettingsExtensions
{
    /// <summary>Makes settings read-only and returns them.</summary>
    /// <typeparam name="T">Their type.</typeparam>
    /// <param name="settings">The settings.</param>
    /// <param name="user">The user of the settings, such as "an endpoint"; errors of later changes name it.</param>
    public static T MakeReadOnlyFor<T>(this T settings, string user)
        where T : ISettings
    {
        settings.MakeReadOnly(user);
        return settings;
    }
}
