namespace CoAP.NET.Survival.Nodes;

/// <summary>A state that devices observe.</summary>
internal sealed class NodePhase
{
    /// <summary>Which it is; 0 at first.</summary>
    public int Number
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }
}
