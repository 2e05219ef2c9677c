namespace CoAP.NET.Settings;

/// <summary>Values of setters that may not be null.</summary>
internal static class NullGuard
{
    /// <summary>Returns a value that a property of options gets, and that is not null.</summary>
    public static T NotNull<T>(T value)
        where T : class
    {
        ArgumentNullException.ThrowIfNull(value);
        return value;
    }
}
