namespace CoAP.NET.Shard;

/// <summary>A part of an endpoint that carries out decisions of a shard; see <see cref="IEffectTarget{T}"/>.</summary>
internal interface IEffectTarget;

/// <summary>
/// Carries out decisions of one kind after the release of a shard's lock. State machines leave decisions with the shard and refer to no
/// stage; the stages and the endpoint attach themselves as targets (<see cref="EffectDispatcher.Attach"/>).
/// </summary>
internal interface IEffectTarget<T> : IEffectTarget
    where T : allows ref struct
{
    /// <summary>Carries out a decision. The caller holds no lock.</summary>
    void Carry(scoped in T item);
}
