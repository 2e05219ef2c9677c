namespace CoAP.NET.Settings;

/// <summary>A member of an enumeration.</summary>
internal sealed class DefinedMemberAttribute : SettingRangeAttribute;
