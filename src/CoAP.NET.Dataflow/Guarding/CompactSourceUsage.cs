using System.Runtime.InteropServices;

namespace CoAP.NET.Guarding;

/// <summary>
/// Tracks the shares of kept state by source, with sources as hashes. Not thread-safe. When room is needed, the source that has most loses
/// its member that has been idle for longest. It is meant for millions of members that outlive processes: members and sources are numbers
/// in arrays of some 24 and 70 bytes, where those of <see cref="SourceUsage{T}"/> are objects.
/// </summary>
/// <typeparam name="T">The owner's reference to a member.</typeparam>
internal sealed class CompactSourceUsage<T>
{
    /// <summary>No member.</summary>
    public const int None = -1;

    private const int FirstSize = 16;

    private readonly Dictionary<ulong, int> _accountOf = [];
    private readonly Stack<int> _freeAccounts = [];
    private readonly Stack<int> _freeMembers = [];

    // Account numbers as a binary heap, largest account first.
    private readonly List<int> _heap = [];
    private Account[] _accounts = new Account[FirstSize];
    private Member[] _members = new Member[FirstSize];
    private int _usedAccounts;
    private int _usedMembers;

    /// <summary>The number of members with an amount.</summary>
    public int Count { get; private set; }

    public long Total { get; private set; }

    public int Sources => _heap.Count;

    /// <summary>Returns the state of a source.</summary>
    /// <param name="source">Its hash.</param>
    /// <returns>The number of members with an amount, and the total.</returns>
    public (int Count, long Amount) Of(ulong source) =>
        _accountOf.TryGetValue(source, out int at) ? (_accounts[at].Count, _accounts[at].Amount) : default;

    public T OwnerOf(int member) => _members[member].Owner;

    public ulong SourceOf(int member) => _accounts[_members[member].Account].Source;

    /// <summary>Adds a member as the most recently active one of its source.</summary>
    /// <param name="source">The hash of its source.</param>
    /// <param name="owner">The owner's reference.</param>
    /// <param name="amount">The amount; 0 or more.</param>
    /// <returns>The number of the member.</returns>
    public int Add(ulong source, T owner, long amount)
    {
        int account = Open(source);
        if (!_freeMembers.TryPop(out int member))
        {
            member = _usedMembers++;
            if (member == _members.Length)
            {
                Array.Resize(ref _members, 2 * member);
            }
        }

        _members[member] = new Member { Account = account, Owner = owner };
        Append(member);
        Set(member, amount);
        return member;
    }

    /// <summary>Changes the amount of a member.</summary>
    /// <param name="member">The member.</param>
    /// <param name="amount">The amount; 0 or more. A member with 0 is not counted and is never evicted.</param>
    public void Set(int member, long amount)
    {
        ref Member one = ref _members[member];
        ref Account account = ref _accounts[one.Account];
        int more = (amount > 0 ? 1 : 0) - (one.Amount > 0 ? 1 : 0);
        Count += more;
        account.Count += more;
        Total += amount - one.Amount;
        account.Amount += amount - one.Amount;
        one.Amount = amount;
        Settle(account.HeapIndex);
    }

    /// <summary>Records activity of a member: it becomes the most recently active one of its source.</summary>
    public void Touch(int member)
    {
        Unlink(member);
        Append(member);
    }

    /// <summary>Removes a member.</summary>
    /// <param name="member">The member. Its number may be reused.</param>
    public void Remove(int member)
    {
        Set(member, 0);
        Unlink(member);
        int account = _members[member].Account;
        _members[member] = default;
        _freeMembers.Push(member);
        if (_accounts[account].First == None)
        {
            Close(account);
        }
    }

    /// <summary>
    /// Finds the member that is evicted for a source: of the source that has most, the member that has been idle for longest, if that
    /// source loses something (<see cref="FairShare.AllowsEviction"/>).
    /// </summary>
    /// <returns>The member; <see cref="None"/> if no member must be evicted.</returns>
    public int FindForRoom(ulong source, long more)
    {
        if (_heap.Count == 0)
        {
            return None;
        }

        ref Account greediest = ref _accounts[_heap[0]];
        int first = greediest.First;
        long given = _members[first].Amount;
        return greediest.Source != source && given > 0 && FairShare.AllowsEviction(Of(source).Amount + more, greediest.Amount - given)
            ? first
            : None;
    }

    /// <summary>Evicts a member for a source, if necessary. The member no longer counts until it has an amount again.</summary>
    /// <returns>The member; <see cref="None"/> if no member must be evicted.</returns>
    public int TakeForRoom(ulong source, long more)
    {
        int member = FindForRoom(source, more);
        if (member != None)
        {
            Set(member, 0);
            Touch(member);
        }

        return member;
    }

    private int Open(ulong source)
    {
        ref int known = ref CollectionsMarshal.GetValueRefOrAddDefault(_accountOf, source, out bool isKnown);
        if (isKnown)
        {
            return known;
        }

        if (!_freeAccounts.TryPop(out int account))
        {
            account = _usedAccounts++;
            if (account == _accounts.Length)
            {
                Array.Resize(ref _accounts, 2 * account);
            }
        }

        known = account;
        _accounts[account] = new Account { Source = source, First = None, Last = None, HeapIndex = _heap.Count };
        _heap.Add(account);
        return account;
    }

    private void Close(int account)
    {
        _accountOf.Remove(_accounts[account].Source);
        int at = _accounts[account].HeapIndex;
        int last = _heap[^1];
        _heap.RemoveAt(_heap.Count - 1);
        _accounts[account] = default;
        _freeAccounts.Push(account);
        if (last != account)
        {
            Put(last, at);
            Settle(at);
        }
    }

    private void Append(int member)
    {
        ref Member one = ref _members[member];
        ref Account account = ref _accounts[one.Account];
        (one.Before, one.After) = (account.Last, None);
        if (account.Last == None)
        {
            account.First = member;
        }
        else
        {
            _members[account.Last].After = member;
        }

        account.Last = member;
    }

    private void Unlink(int member)
    {
        ref Member one = ref _members[member];
        ref Account account = ref _accounts[one.Account];
        if (one.Before == None)
        {
            account.First = one.After;
        }
        else
        {
            _members[one.Before].After = one.After;
        }

        if (one.After == None)
        {
            account.Last = one.Before;
        }
        else
        {
            _members[one.After].Before = one.Before;
        }
    }

    private void Settle(int at)
    {
        int account = _heap[at];
        long amount = _accounts[account].Amount;
        while (at > 0 && amount > AmountAt((at - 1) / 2))
        {
            Put(_heap[(at - 1) / 2], at);
            at = (at - 1) / 2;
        }

        for (int child = (2 * at) + 1; child < _heap.Count; child = (2 * at) + 1)
        {
            child += child + 1 < _heap.Count && AmountAt(child + 1) > AmountAt(child) ? 1 : 0;
            if (AmountAt(child) <= amount)
            {
                break;
            }

            Put(_heap[child], at);
            at = child;
        }

        Put(account, at);
    }

    private long AmountAt(int at) => _accounts[_heap[at]].Amount;

    private void Put(int account, int at)
    {
        _heap[at] = account;
        _accounts[account].HeapIndex = at;
    }

    private struct Account
    {
        public ulong Source;
        public long Amount;
        public int Count;
        public int First;
        public int Last;
        public int HeapIndex;
    }

    private struct Member
    {
        public long Amount;
        public int Account;
        public int Before;
        public int After;
        public T Owner;
    }
}
