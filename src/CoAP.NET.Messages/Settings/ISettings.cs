namespace CoAP.NET.Settings;

/// <summary>Settings that are read-only once something uses them: a later change would have no effect there.</summary>
internal interface ISettings
{
    /// <summary>Makes these settings and those inside them read-only. Calling it again does nothing.</summary>
    /// <param name="user">What uses them, as in "an endpoint"; errors name it.</param>
    void MakeReadOnly(string user);
}
