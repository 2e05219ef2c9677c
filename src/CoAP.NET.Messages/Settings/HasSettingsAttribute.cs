namespace CoAP.NET.Settings;

/// <summary>
/// A class of settings. Its partial properties are declared with their default and range; a generator writes their accessors and the
/// numbers of their comments (docs/decisions/0036-settings.md).
/// </summary>
[AttributeUsage(AttributeTargets.Class)]
internal sealed class HasSettingsAttribute : Attribute;
