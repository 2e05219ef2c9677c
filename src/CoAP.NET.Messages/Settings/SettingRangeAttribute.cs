namespace CoAP.NET.Settings;

/// <summary>The values that a setting accepts. Setter, comment and configuration key follow from it.</summary>
[AttributeUsage(AttributeTargets.Property)]
internal abstract class SettingRangeAttribute : Attribute;
