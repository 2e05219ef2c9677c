using System.Reflection;

namespace CoAP.NET.Tests.Shared;

/// <summary>The limits of all groups, by the path of each, such as <c>Peers.MaxCount</c>.</summary>
internal static class LimitPaths
{
    /// <summary>The paths of all limits, except the list of trusted networks, which is no bound.</summary>
    public static IReadOnlyList<string> All { get; } =
        [.. from @group in typeof(CoapLimits).GetProperties(BindingFlags.Public | BindingFlags.Instance)
            from limit in @group.PropertyType.GetProperties()
            where limit.Name != nameof(CoapPeerStateLimits.TrustedPrefixes)
            select $"{@group.Name}.{limit.Name}"];

    /// <summary>Returns the property of a path, with the group that has it; null if there is none.</summary>
    public static (PropertyInfo Property, object Owner)? Find(CoapLimits limits, string path)
    {
        string[] parts = path.Split('.');
        object? owner = typeof(CoapLimits).GetProperty(parts[0])?.GetValue(limits);
        PropertyInfo? property = parts.Length == 2 ? owner?.GetType().GetProperty(parts[1]) : null;
        return property is null ? null : (property, owner!);
    }

    /// <summary>Returns the value of a limit; null if there is none.</summary>
    public static object? ValueOf(CoapLimits limits, string path) =>
        Find(limits, path) is { } found ? found.Property.GetValue(found.Owner) : null;
}
